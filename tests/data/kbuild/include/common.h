#define NAME "fake"
int answer(void);
int question(void);
