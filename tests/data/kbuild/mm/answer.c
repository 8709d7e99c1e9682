#include "common.h"

int answer(void)
{
	int value = 40;

	value += 1;
	value += 1;
	return value;
}
